/** Another living process of ours serves this data directory; nothing of it was touched. */
export class InstallationInUse extends Error {
  override readonly name = "InstallationInUse";

  constructor(dataDir: string, holder: string) {
    super(
      `Balcão is already running on the data in ${dataDir} (${holder}). Nothing was changed. ` +
        "Stop that one first, or choose another directory with BALCAO_DATA.",
    );
  }
}
