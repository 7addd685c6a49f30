import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The program to start a platform of a test's own from: CONFAB_JAR. */
export const jar = process.env.CONFAB_JAR;

/** Two chat servers, processes of their own, over one RabbitMQ; one that ends is started again by what started it. */
export class Cluster {
  #directory;
  #port;
  #process;

  async start() {
    this.#directory = await mkdtemp(join(tmpdir(), 'confab-browser-'));
    this.#port = await freePorts();
    const java = process.env.JAVA_HOME ? join(process.env.JAVA_HOME, 'bin', 'java') : 'java';
    const options = ['--enable-native-access=ALL-UNNAMED', '-jar', jar, '--servers', '2', '--open'];
    const started = spawn(java, [...options, '--port', String(this.#port), '--dir', this.#directory], { stdio: ['ignore', 'pipe', 'inherit'] });
    process.once('exit', () => started.kill()); // of a test that was interrupted
    this.#process = started;
    await new Promise((resolve, reject) => {
      let told = '';
      started.once('exit', () => reject(new Error(`the servers did not start: ${told}`)));
      started.stdout.on('data', (bytes) => {
        told += bytes;
        if (told.includes('Confab is up')) resolve();
      });
    });
  }

  /** The address of server 1 or 2. */
  url(server) {
    return `http://127.0.0.1:${this.#port + server - 1}`;
  }

  /** Ends a server as a crash would. */
  async kill(server) {
    process.kill(Number(await readFile(join(this.#directory, 'servers', `server-${server}.pid`), 'utf8')), 'SIGKILL');
  }

  async stop() {
    if (this.#process && this.#process.exitCode === null && this.#process.signalCode === null) {
      this.#process.kill('SIGTERM');
      await once(this.#process, 'exit');
    }
    if (this.#directory) await rm(this.#directory, { recursive: true, force: true });
  }
}

/** Distances of the programs' ports from the first chat server's: HAProxy, two chat servers and the consumer. */
const PROGRAMS = [-1, 0, 1, 9];
/** The distance of a program's management port from its own port. */
const MANAGEMENT = 1000;

/** Returns the first chat server's port of a row in which all ports are free. */
async function freePorts() {
  for (;;) {
    const first = 20_000 + Math.floor(Math.random() * 10_000);
    const needed = PROGRAMS.flatMap((distance) => [first + distance, first + distance + MANAGEMENT]);
    if ((await Promise.all(needed.map(isFree))).every(Boolean)) return first;
  }
}

async function isFree(port) {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}
