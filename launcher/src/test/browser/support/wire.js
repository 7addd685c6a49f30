import { createServer, connect } from 'node:net';

/**
 * A wire between one browser and the platform that can be cut. It forwards bytes, so that what the page meets is what a
 * lost network is: sockets that end without a close frame, answers that never arrive.
 */
export class Wire {
  #pairs = new Set();
  #whole = true;
  #deaf = false;
  #dumb = false;
  #delayMs = 0;
  #platform;
  #server = createServer((near) => this.#carry(near));

  /** @param platform its address */
  constructor(platform) {
    this.#platform = new URL(platform);
  }

  /** Listens on a free port of this machine. */
  async listen() {
    await new Promise((resolve, reject) => {
      this.#server.once('error', reject).listen(0, '127.0.0.1', resolve);
    });
  }

  /** The address that a browser uses instead of the platform's. */
  get address() {
    return `http://127.0.0.1:${this.#server.address().port}`;
  }

  /** Ends every connection, and every new one, until `mend`. */
  cut() {
    this.#whole = false;
    for (const socket of this.#pairs) socket.destroy();
  }

  /** Drops the platform's data until `mend`; the browser's data still arrives. */
  deafen() {
    this.#deaf = true;
  }

  /** Drops the browser's data until `mend`; the platform's data still arrives. */
  silence() {
    this.#dumb = true;
  }

  /** Delays all further data by this time in each direction. */
  delay(ms) {
    this.#delayMs = ms;
  }

  mend() {
    this.#whole = true;
    this.#deaf = false;
    this.#dumb = false;
  }

  async close() {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #later(carry) {
    if (this.#delayMs > 0) setTimeout(carry, this.#delayMs);
    else carry();
  }

  #carry(near) {
    if (!this.#whole) {
      near.destroy();
      return;
    }
    const { hostname, port } = this.#platform;
    const far = connect(Number(port || 80), hostname);
    near.on('data', (bytes) => this.#dumb || this.#later(() => far.write(bytes)));
    far.on('data', (bytes) => this.#deaf || this.#later(() => near.write(bytes)));
    for (const [socket, other] of [[near, far], [far, near]]) {
      this.#pairs.add(socket);
      // An error is followed by close; a cut wire is expected to give some.
      socket.on('error', () => {});
      socket.on('close', () => {
        this.#pairs.delete(socket);
        other.destroy();
      });
    }
  }
}
