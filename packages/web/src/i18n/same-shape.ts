/** A catalogue with the keys of the Portuguese one and any texts. */
export type SameShape<T> = {
  readonly [K in keyof T]: T[K] extends string ? string : SameShape<T[K]>;
};
