/** Two rising notes, in Hz, each this long. */
const NOTES_HZ = [660, 880];
const NOTE_SECONDS = 0.14;
/** At full volume; a sine at 1 would be unpleasantly loud. */
const LOUDEST = 0.35;
const PATIENCE_MS = 300;

let context: AudioContext | null = null;

/**
 * Plays the alert at `volume` (0 to 1). Browsers stay silent until somebody has touched the page; then it is simply not
 * heard, and the badge and the tab's title say the same.
 */
export async function playAlert(volume: number): Promise<void> {
  if (volume === 0) return;
  context ??= new AudioContext();
  const audio = context;
  // Without a gesture this waits for one, and an alert of long ago is no alert.
  if (!isRunning(audio)) {
    await Promise.race([
      audio.resume(),
      new Promise((resolve) => setTimeout(resolve, PATIENCE_MS)),
    ]);
  }
  if (!isRunning(audio)) return;
  NOTES_HZ.forEach((hz, index) => playNote(audio, hz, index * NOTE_SECONDS, volume));
}

function isRunning(audio: AudioContext): boolean {
  return audio.state === "running";
}

function playNote(audio: AudioContext, hz: number, afterSeconds: number, volume: number): void {
  const startsAt = audio.currentTime + afterSeconds;
  const tone = audio.createOscillator();
  const loudness = audio.createGain();
  tone.type = "sine";
  tone.frequency.value = hz;
  loudness.gain.setValueAtTime(0, startsAt);
  loudness.gain.linearRampToValueAtTime(volume * LOUDEST, startsAt + 0.015);
  loudness.gain.exponentialRampToValueAtTime(0.0001, startsAt + NOTE_SECONDS);
  tone.connect(loudness).connect(audio.destination);
  tone.start(startsAt);
  tone.stop(startsAt + NOTE_SECONDS);
}
