// Hands the microphone's samples to the page in chunks. A file of its own: the content security policy allows no other
// way to load a worklet.
/* oxlint-disable unicorn/require-post-message-target-origin -- a port between page and worklet has no origin */
const CHUNK_SAMPLES = 4096;

class BalcaoRecorder extends AudioWorkletProcessor {
  constructor() {
    super();
    this.chunk = new Float32Array(CHUNK_SAMPLES);
    this.filled = 0;
    this.isOver = false;
    this.port.addEventListener("message", () => {
      this.port.postMessage(this.chunk.slice(0, this.filled));
      this.port.postMessage(null);
      this.isOver = true;
    });
    this.port.start();
  }

  process([input]) {
    const samples = input[0];
    if (this.isOver) return false;
    if (samples === undefined) return true;
    for (let index = 0; index < samples.length; index += 1) {
      this.chunk[this.filled] = samples[index];
      this.filled += 1;
      if (this.filled < CHUNK_SAMPLES) continue;
      this.port.postMessage(this.chunk, [this.chunk.buffer]);
      this.chunk = new Float32Array(CHUNK_SAMPLES);
      this.filled = 0;
    }
    return true;
  }
}

registerProcessor("balcao-recorder", BalcaoRecorder);
