import { spawn } from 'node:child_process';
import { webcrypto } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { ConfabClient } from '../../confab.js';

globalThis.crypto ??= webcrypto; // Node.js 18 has it only here

const PATIENCE_MS = 60_000;

/** The program to start platforms from: CONFAB_JAR. */
export const jar = process.env.CONFAB_JAR;

/** Returns a room for this test alone. */
export const freshRoom = () => `js-${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 8)}`;

let users = 0;

/** A client with a user of its own; closed at the end of the test. */
export function guest(t, url, options = {}) {
  const id = String(1000 + ++users);
  const client = new ConfabClient(url, { userId: id, username: `guest${id}`, WebSocket, ...options });
  t.after(() => client.close());
  return client;
}

/** Joins and returns the room with its received texts and gaps. */
export async function entered(client, name, options) {
  const room = client.join(name, options);
  const texts = [];
  const gaps = [];
  room.on('message', ({ text }) => texts.push(text));
  room.on('gap', (gap) => gaps.push(gap));
  await when(room, 'open');
  return { room, texts, gaps };
}

/** The next event of a type, or that one which is looked for. */
export function when(emitter, type, wanted = () => true) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`waited in vain for ${type}`)), PATIENCE_MS);
    const off = emitter.on(type, (event) => {
      if (!wanted(event)) return;
      clearTimeout(timer);
      off();
      resolve(event);
    });
  });
}

/** Waits until something is so. */
export async function until(what, condition) {
  for (const deadline = Date.now() + PATIENCE_MS; !(await condition()); ) {
    if (Date.now() > deadline) throw new Error(`waited in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** A platform of a test's own, all in one process, that can be killed, stopped, and started again with what it has stored. */
export class Platform {
  #port;
  #directory;
  #process;

  get url() {
    return `http://127.0.0.1:${this.#port}`;
  }

  async start() {
    this.#directory ??= await mkdtemp(join(tmpdir(), 'confab-js-'));
    this.#port ??= await freePort();
    const java = process.env.JAVA_HOME ? join(process.env.JAVA_HOME, 'bin', 'java') : 'java';
    const options = ['--enable-native-access=ALL-UNNAMED', '-jar', jar, '--port', this.#port, '--dir', this.#directory];
    const started = spawn(java, options, { stdio: 'ignore' });
    process.once('exit', () => started.kill()); // of a test that was interrupted
    this.#process = started;
    await until('the platform is up', async () => {
      if (this.#process.exitCode !== null) throw new Error(`the platform ended with ${this.#process.exitCode}`);
      try {
        return (await fetch(`${this.url}/health`)).ok;
      } catch {
        return false;
      }
    });
  }

  kill() {
    return this.#end('SIGKILL');
  }

  stop() {
    return this.#end('SIGTERM');
  }

  /** Stops it and deletes what it has stored. */
  async close() {
    if (this.#process) await this.stop();
    if (this.#directory) await rm(this.#directory, { recursive: true, force: true });
  }

  /** Returns the platform's metrics by name and labels in Prometheus format, from the port 1000 above its own. */
  async counts() {
    const url = new URL('/actuator/prometheus', this.url);
    url.port = String(Number(url.port) + 1000);
    const lines = (await (await fetch(url)).text()).split('\n').filter((line) => !line.startsWith('#'));
    return Object.fromEntries(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]));
  }

  async #end(signal) {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    this.#process.kill(signal);
    await once(this.#process, 'exit');
  }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return String(port);
}
