import type { SignalDataSet, SignalDataTypeMap, SignalKeyStore } from "baileys";

/** The keys of a device, forgotten with the process. */
export type MemoryKeys = SignalKeyStore & {
  /** Forgets all of one type. */
  forget(type: keyof SignalDataTypeMap): void;
};

export function createMemoryKeys(): MemoryKeys {
  const kept = new Map<string, unknown>();
  return {
    get: async <T extends keyof SignalDataTypeMap>(type: T, ids: string[]) => {
      const found: Record<string, SignalDataTypeMap[T]> = {};
      for (const id of ids) {
        const value = kept.get(`${type}/${id}`);
        // Values stored under this type have this type.
        if (value !== undefined) found[id] = value as SignalDataTypeMap[T];
      }
      return found;
    },
    forget: (type: keyof SignalDataTypeMap) => {
      for (const key of kept.keys()) if (key.startsWith(`${type}/`)) kept.delete(key);
    },
    set: async (data: SignalDataSet) => {
      for (const [type, values] of Object.entries(data)) {
        for (const [id, value] of Object.entries(values ?? {})) {
          if (value === null || value === undefined) kept.delete(`${type}/${id}`);
          else kept.set(`${type}/${id}`, value);
        }
      }
    },
  };
}
