#!/usr/bin/env node
// Measures the cost of sockets that resume 128 rooms each, and the latency of a bystander.
//
//   ./run --dir /tmp/hostile --port 18080     in another terminal; it prints the port of its metrics
//   benchmarks/hostile-resume.mjs fill   --port 18080
//   (restart ./run: its memory of the rooms would answer for the history)
//   benchmarks/hostile-resume.mjs attack --port 18080 --metrics 19080 --sockets 12
//   benchmarks/hostile-resume.mjs attack --port 18080 --metrics 19080 --sockets 8 --loop
//
// attack: measures a bystander's resumes alone, then beside the attack, and samples the server's metrics.
// Without --loop each socket joins 128 rooms with "resume":"0" in one frame and reads --rate bytes a second (10000).
// With --loop all sockets are one user's, read all, and leave and join again and again.
// Exits with 1 if the bystander's p99 grows more than --ratio times (2), or pages take more than --memory MB (64).
import { randomBytes } from 'node:crypto';
import net from 'node:net';
import { parseArgs } from 'node:util';

const ROOMS = 128;
const MESSAGES = 500;
const FRAME_TEXTS = 50;
const BYSTANDER_ROOM = 'hostile-bystander';
const BYSTANDER_MESSAGES = 1725;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    port: { type: 'string', default: '8080' },
    metrics: { type: 'string', default: '9080' },
    sockets: { type: 'string', default: '12' },
    rate: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '40' },
    loop: { type: 'boolean', default: false },
    ratio: { type: 'string', default: '2' },
    memory: { type: 'string', default: '64' },
  },
});
const port = Number(options.port);
const sleep = (millis) => new Promise((done) => setTimeout(done, millis));

/** A WebSocket of few lines, since it must be able to read slowly. */
class Socket {
  #in = Buffer.alloc(0);
  received = 0;
  open = true;

  static async connect(room, onFrame, bytesPerSecond = 0) {
    const socket = new Socket();
    socket.onFrame = onFrame;
    await socket.#handshake(room);
    if (bytesPerSecond > 0) socket.#slowDown(bytesPerSecond);
    return socket;
  }

  async #handshake(room) {
    this.tcp = net.connect({ port, host: '127.0.0.1', highWaterMark: 4096 });
    this.tcp.on('error', () => {});
    this.tcp.on('close', () => (this.open = false));
    this.tcp.write(
      `GET /chat/${room} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
        `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n\r\n`,
    );
    await new Promise((done, failed) => {
      this.tcp.once('close', () => failed(new Error('the server closed the connection')));
      this.tcp.on('data', (bytes) => {
        this.received += bytes.length;
        this.#in = this.#in.length === 0 ? bytes : Buffer.concat([this.#in, bytes]);
        if (!this.upgraded) {
          const end = this.#in.indexOf('\r\n\r\n');
          if (end < 0) return;
          const head = this.#in.subarray(0, end).toString();
          if (!head.startsWith('HTTP/1.1 101')) return failed(new Error(head.split('\r\n')[0]));
          this.upgraded = true;
          this.#in = this.#in.subarray(end + 4);
          done();
        }
        this.#frames();
      });
    });
  }

  #slowDown(bytesPerSecond) {
    const begun = Date.now();
    this.slow = setInterval(() => {
      const due = ((Date.now() - begun) / 1000) * bytesPerSecond;
      if (this.received <= due) this.tcp.resume();
      else this.tcp.pause();
    }, 20);
  }

  #frames() {
    for (;;) {
      if (this.#in.length < 2) return;
      let length = this.#in[1] & 127;
      let head = 2;
      if (length === 126) {
        if (this.#in.length < 4) return;
        length = this.#in.readUInt16BE(2);
        head = 4;
      } else if (length === 127) {
        if (this.#in.length < 10) return;
        length = Number(this.#in.readBigUInt64BE(2));
        head = 10;
      }
      if (this.#in.length < head + length) return;
      const opcode = this.#in[0] & 15;
      const payload = this.#in.subarray(head, head + length);
      this.#in = this.#in.subarray(head + length);
      if (opcode === 1) this.onFrame?.(payload);
      if (opcode === 9) this.#send(10, payload);
    }
  }

  send(object) {
    this.#send(1, Buffer.from(JSON.stringify(object)));
  }

  #send(opcode, payload) {
    const length = payload.length;
    const head =
      length < 126 ? Buffer.from([0x80 | opcode, 0x80 | length]) : Buffer.from([0x80 | opcode, 0xfe, length >> 8, length & 255]);
    this.tcp.write(Buffer.concat([head, Buffer.alloc(4), payload])); // masked with zeros
  }

  close() {
    clearInterval(this.slow);
    this.tcp.destroy();
  }
}

const frame = (messageType, user, room, more = {}) => ({
  messageType,
  userId: String(user),
  username: `user${user}`,
  roomId: room,
  timestamp: new Date().toISOString(),
  ...more,
});
const rooms = Array.from({ length: ROOMS }, (_, i) => `hostile-${i}`);
const joins = (user) => rooms.map((room) => frame('JOIN', user, room, { resume: '0' }));
const leaves = (user) => rooms.map((room) => frame('LEAVE', user, room));

/** Says so many messages of 200 characters in a room, and waits until the log has all. */
async function say(room, messages) {
  let acknowledged = 0;
  const socket = await Socket.connect(room, (payload) => {
    const told = JSON.parse(payload);
    if (told.type === 'ACK') acknowledged += told.messageIds.length;
    if (told.type === 'ERROR') throw new Error(payload.toString());
  });
  socket.send(frame('JOIN', 1, room));
  for (let said = 0; said < messages; said += FRAME_TEXTS) {
    const texts = Array.from({ length: Math.min(FRAME_TEXTS, messages - said) }, (_, i) =>
      frame('TEXT', 1, room, { message: `${said + i} `.padEnd(200, 'x') }),
    );
    socket.send(texts);
    while (acknowledged < said + texts.length) await sleep(2);
  }
  socket.close();
}

async function fill() {
  for (const room of rooms) await say(room, MESSAGES);
  await say(BYSTANDER_ROOM, BYSTANDER_MESSAGES);
  console.log(`${ROOMS} rooms with ${MESSAGES} messages, and ${BYSTANDER_ROOM} with ${BYSTANDER_MESSAGES}`);
}

/** How long one resume of the bystander takes, in milliseconds. */
async function resume() {
  const begun = performance.now();
  let texts = 0;
  let done;
  const all = new Promise((finished) => (done = finished));
  const socket = await Socket.connect(BYSTANDER_ROOM, (payload) => {
    const told = JSON.parse(payload);
    if (told.type !== 'MESSAGES') return;
    texts += told.messages.filter((message) => message.messageType === 'TEXT').length;
    if (texts >= BYSTANDER_MESSAGES) done();
  });
  socket.send(frame('JOIN', 2, BYSTANDER_ROOM, { resume: '0' }));
  await all;
  socket.close();
  return performance.now() - begun;
}

async function measure(name) {
  const millis = [];
  for (let i = 0; i < Number(options.rounds); i++) millis.push(await resume());
  millis.sort((a, b) => a - b);
  const at = (share) => Math.round(millis[Math.min(millis.length - 1, Math.floor(millis.length * share))]);
  console.log(`bystander ${name}: resume of ${BYSTANDER_MESSAGES} messages p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, ${millis.length} times`);
  return at(0.99);
}

const highest = {};
async function sample() {
  const text = await (await fetch(`http://127.0.0.1:${options.metrics}/actuator/prometheus`)).text();
  let heap = 0;
  for (const line of text.split('\n')) {
    const [, name, value] = /^([a-z_]+)(?:\{[^}]*\})? (\S+)$/.exec(line) ?? [];
    if (name === 'jvm_memory_used_bytes' && line.includes('area="heap"')) heap += Number(value);
    if (['chat_catch_up_bytes', 'chat_catch_up_waiting', 'chat_frames_bytes', 'jvm_gc_live_data_size_bytes'].includes(name))
      highest[name] = Math.max(highest[name] ?? 0, Number(value));
  }
  highest.heap_used_bytes = Math.max(highest.heap_used_bytes ?? 0, heap);
}

async function attack() {
  const alone = await measure('alone');
  const attackers = [];
  for (let i = 0; i < Number(options.sockets); i++) {
    const user = options.loop ? 3 : 100 + i;
    let welcomed = 0;
    const socket = await Socket.connect(
      rooms[0],
      options.loop
        ? (payload) => {
            if (!payload.subarray(0, 40).includes('"WELCOME"') || ++welcomed % ROOMS !== 0) return;
            socket.send(leaves(user));
            socket.send(joins(user));
          }
        : undefined,
      options.loop ? 0 : Number(options.rate),
    );
    socket.send(joins(user));
    attackers.push(socket);
  }
  const sampling = setInterval(() => sample().catch(() => {}), 250);
  await sleep(3000);
  const beside = await measure('beside the attack');
  clearInterval(sampling);
  const open = attackers.filter((socket) => socket.open).length;
  const megabytes = attackers.reduce((sum, socket) => sum + socket.received, 0) / 1e6;
  console.log(`attack: ${open} of ${attackers.length} sockets still open, received ${megabytes.toFixed(1)} MB`);
  console.log(`highest on the server: ${JSON.stringify(highest)}`);
  console.log(`p99 ${(beside / alone).toFixed(2)} times as long`);
  attackers.forEach((socket) => socket.close());
  const pages = highest.chat_catch_up_bytes ?? Infinity; // without a sample nothing is shown
  if (beside / alone > Number(options.ratio) || pages > Number(options.memory) * 2 ** 20) process.exitCode = 1;
}

const [command] = positionals;
if (command === 'fill') await fill();
else if (command === 'attack') await attack();
else {
  console.error('Usage: hostile-resume.mjs fill|attack [--port N] [--metrics N] [--sockets N] [--rate BYTES] [--loop]');
  process.exit(2);
}
