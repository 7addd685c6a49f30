/** Replaces the real server: accepts every client and sends only scripted frames. */
export class ScriptedServer {
  #socket;
  #onJoin;
  /** The last client that joined. */
  userId;

  /** @param {(roomId: string) => void} onJoin called when a client has joined */
  constructor(onJoin = () => {}) {
    this.#onJoin = onJoin;
  }

  /** Replaces the real server for every socket that the page opens afterwards. */
  async instead(page) {
    await page.routeWebSocket(/\/chat\//, (socket) => {
      this.#socket = socket;
      socket.onMessage((frame) => this.#answer(JSON.parse(frame)));
    });
  }

  send(frame) {
    this.#socket.send(JSON.stringify(frame));
  }

  #answer({ messageType, roomId, userId, username }) {
    this.userId = userId;
    if (messageType === 'JOIN') {
      const limits = { maxFrameBytes: 65536, maxMessageLength: 500, userIds: 'numbers', maxUserId: 100000, usernames: 'required', maxHistory: 500 };
      this.send({ type: 'WELCOME', roomId, serverId: 'server-1', position: '1000', members: 1, pingIntervalMs: 25000, limits });
      this.#onJoin(roomId);
      this.send({ type: 'MEMBERS', roomId, members: 1, joined: [], left: [], more: false });
    } else if (messageType === 'MEMBERS') {
      this.send({ type: 'MEMBERS', roomId, members: 1, roster: [{ userId, username }], next: null });
    }
  }
}
