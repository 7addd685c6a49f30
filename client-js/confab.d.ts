/**
 * Ids of users, rooms and messages, and positions, are strings. Times are milliseconds since 1970 by the server's clock,
 * unless stated otherwise.
 */

/**
 * Why a request was rejected or failed. `code` is one of the protocol's (docs/reference/protocol.md), such as `INVALID` or
 * `UNAVAILABLE`, or one of the client's own:
 *
 * - `NOT_STORED`: accepted and delivered, but the database rejected it. Sending it again with the same `messageId` does
 *   not store it
 * - `QUEUE_FULL`: `queueLimit` messages are waiting
 * - `EXPIRED`: found in the storage, and older than `queueMaxAgeMs`
 * - `DISCONNECTED`: the connection was lost before the answer came; never for messages, which are sent again
 * - `CLOSED`: the room was left or the client closed before the answer came
 * - `TOKEN`: the `token` function failed, took longer than 10 s, or returned a value that cannot be a subprotocol. The
 *   client calls it again
 * - `ADDRESS`: the browser opens no socket to this address, such as `ws://` from an `https://` page. The client waits for
 *   `connect()` or the next `join`
 * - `REFUSED`: the server rejects the connection, with HTTP `status` and `reason`: the page's origin, the token, a limit.
 *   If it is not `retryable`, the client waits for `connect()` or the next `join`
 * - `UNREACHABLE`: the server does not answer, or the browser hides its answer from a page of another origin. The client
 *   keeps connecting
 */
export class ConfabError extends Error {
  constructor(
    code: string,
    message?: string,
    more?: { retryable?: boolean; retryAfterMs?: number | null; status?: number | null; reason?: string | null; detail?: string | null },
  );
  readonly code: string;
  readonly retryable: boolean;
  /** Milliseconds after which to try again; null if the server gave none. */
  readonly retryAfterMs: number | null;
  /** The HTTP status of `REFUSED`. 426: the server would accept, so a proxy does not forward the upgrade. */
  readonly status: number | null;
  /** The reason of `REFUSED` for programs, such as `origin` or `token-expired`. */
  readonly reason: string | null;
  /** The reason of `REFUSED` for people. */
  readonly detail: string | null;
}

/**
 * - `disconnected`: the client does not try to connect.
 * - `connecting`: it connects, or waits before the next attempt.
 * - `connected`: it has joined a room.
 */
export type State = 'disconnected' | 'connecting' | 'connected';

export interface StateEvent {
  state: State;
  /** The close code that caused this state; null if none did. */
  code: number | null;
  /** The server's reason, or why the browser could not create a socket. */
  reason: string;
  /** The time of the next attempt, by this machine's clock; null if the client is not waiting. */
  retryAt: number | null;
}

/** The part of `localStorage` that the client uses. All calls are synchronous; any may throw. */
export interface QueueStorage {
  readonly length: number;
  key(index: number): string | null;
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/** The part of the browser's WebSocket that the client uses; the package `ws` is compatible. */
export interface WebSocketLike {
  readonly readyState: number;
  send(data: string): void;
  close(code?: number, reason?: string): void;
  onopen: ((event: any) => void) | null;
  onmessage: ((event: any) => void) | null;
  onclose: ((event: any) => void) | null;
  onerror: ((event: any) => void) | null;
}

/** The part of `URL` that the client uses. */
export interface UrlLike {
  readonly href: string;
  toString(): string;
}

/** The part of `fetch` that the client uses. */
export type FetchLike = (
  url: string,
  init: any,
) => Promise<{ readonly status: number; readonly headers: { get(name: string): string | null }; json(): Promise<any> }>;

export interface ClientOptions {
  /** Digits; with a token, its user id, or omitted. Without it, waiting messages do not survive a reload. */
  userId?: string;
  /** 3 to 20 letters and digits; with a token, its username, or omitted. */
  username?: string;
  /**
   * The name people see: 1 to 64 characters of any script in Unicode form NFC, not all blank, without control characters
   * and bidirectional overrides. Default: the username. With a token, its display name, or omitted.
   */
  displayName?: string;
  /**
   * Sent as WebSocket subprotocol. The client calls a function for each connection that needs a new token, and before a
   * token expires (`refresh`), which needs no new socket.
   */
  token?: string | ((why: 'connect' | 'refresh') => string | null | Promise<string | null>);
  /** Required if there is no global WebSocket. */
  WebSocket?: new (url: string, protocols: string[]) => WebSocketLike;
  /**
   * Requests the reason why a connection was rejected, which a WebSocket does not give. Default: the global one. `null`:
   * the client does not request it.
   */
  fetch?: FetchLike | null;
  /**
   * Keeps messages that are not yet accepted over reloads, under `userId`. Default: `localStorage` in browsers. `null`:
   * the client keeps none.
   */
  storage?: QueueStorage | null;
  /** Limit of waiting messages in one room. Default: 1000. */
  queueLimit?: number;
  /** Older messages found in the storage fail with `EXPIRED`. Default: one day. */
  queueMaxAgeMs?: number;
  /**
   * How long the client retries a message that the server rejects as retryable, from its first rejection or the room's
   * last acceptance. Time without a connection does not count. Default: 60 s.
   */
  patienceMs?: number;
  /** Unacknowledged messages in one room. With more than one, a rejection can change their order. Default: 1. */
  window?: number;
}

export interface JoinOptions {
  /** A position: all messages after it follow. */
  resume?: string;
  /** The number of latest messages to receive first; not together with `resume`. */
  history?: number;
  /** Whether to receive `stored` events. */
  stored?: boolean;
}

export interface SendOptions {
  /** The state to wait for: `accepted` (the message has a position) or `stored` (it is in the database, too). */
  until?: 'accepted' | 'stored';
  /** A UUID of 36 characters, in either case, to resend a failed message; converted to lower case. Default: a new one. */
  messageId?: string;
}

export interface Sent {
  messageId: string;
  /** Its address in the room's order. With a `window` above 1, possibly that of a later message acknowledged with it. */
  position: string;
}

export interface Member {
  userId: string;
  username: string;
  /** The name people see; absent in rosters if it equals the username. Two members can have the same. */
  displayName?: string;
}

export interface Presence extends Member {
  messageId: string;
  timestamp: number;
  /** The position of the last message in the same frame: its own, or a later one. */
  position: string;
  /**
   * Whether this user sent it: it has the `userId` of the options, and the `username` if one was given. Without a
   * `userId`, only messages that this client sent.
   */
  own: boolean;
}

export interface Message extends Presence {
  text: string;
}

export interface Pending {
  messageId: string;
  text: string;
  /** Time of `send`, by this machine's clock. */
  writtenAt: number;
}

export interface Roster {
  members: number;
  roster: Member[];
  /** The value of `after` for the next page; null if there is none. */
  next: string | null;
}

export interface Limits {
  maxFrameBytes: number;
  maxMessageLength: number;
  /** The form of user ids without tokens. */
  userIds: 'numbers' | 'ascii';
  /** Only if ids are numbers. */
  maxUserId?: number;
  /** Whether a frame without a token may omit the username. */
  usernames: 'required' | 'derived';
  maxHistory: number;
}

export interface RoomEvents {
  /** A text of any member, this user included: each once, in the room's order. */
  message: Message;
  /**
   * A user joined with a first session, as far as the client knows the members; `roster` teaches it all of them. Rooms of
   * more than 200 members have `members` events instead.
   */
  joined: Presence;
  /** A user's last session left, and the user has not joined again within 3 s. */
  left: Presence;
  /** The number of members, and the users who joined or left without a message. */
  members: { members: number; joined: Member[]; left: Member[]; more: boolean };
  /** Messages after `from` and up to `to` may be missing. */
  gap: { from: string; to: string };
  /** The server rejected a request that is not a message, such as a JOIN that the client will retry. */
  error: ConfabError;
  /** The room is joined. Repeated after each reconnect; immediate for a further `join` of the room. */
  open: { position: string; members: number; serverId: string; limits: Limits; you: Member };
  /** This use of the room has ended: `leave` was called, or the server rejects the user. */
  closed: ConfabError;
  /** An own message waits. `kept`: it would survive a reload. */
  queued: Pending & { kept: boolean };
  accepted: Sent & { timestamp: number };
  failed: { messageId: string; text: string; error: ConfabError };
  /** All messages up to this position are stored, except the own messages in `notStored`, which the database rejected. */
  stored: { position: string; notStored: string[] };
}

export interface ClientEvents {
  state: StateEvent;
  /** An error that concerns no room: no token, a rejected refresh, an address that the browser opens no socket to. */
  error: ConfabError;
}

/** One use of a room. All uses of a room in one client share a membership: its messages, its queue and its position. */
export interface Room {
  readonly name: string;
  /** Whether the room is joined on the current socket. */
  readonly joined: boolean;
  /** The last position received, for `resume` after a reload; null before the first. */
  readonly position: string | null;
  /** The latest known number of users in the room, on all servers. */
  readonly members: number;
  /** Own messages not yet accepted, including those kept from before a reload; oldest first. */
  readonly pending: Pending[];

  /** Returns a function that removes the listener. */
  on<K extends keyof RoomEvents>(type: K, listener: (event: RoomEvents[K]) => void): () => void;

  /**
   * Sends a text now, or when there is a connection. Rejects with a {@link ConfabError} if the client will not try again; a
   * lost connection is no failure. Rejects with a `TypeError` if an argument is invalid.
   */
  send(text: string, options?: SendOptions): Promise<Sent>;

  /** Requests a page of the members, in ascending order of `userId`. */
  roster(options?: { after?: string; limit?: number }): Promise<Roster>;

  /**
   * Ends this use. With the last use the client leaves the room: messages not yet accepted fail with `CLOSED`, stay in the
   * storage, and are sent after the next join.
   */
  leave(): void;
}

export class ConfabClient {
  /**
   * Creates a client, which connects with the first `join`.
   *
   * @param url address of Confab: `wss://host/`, or `https://host/path/`; the client adds `chat/{room}`
   */
  constructor(url: string | UrlLike, options?: ClientOptions);

  readonly state: State;
  /** One use of each room that is joined. */
  readonly rooms: Room[];

  on<K extends keyof ClientEvents>(type: K, listener: (event: ClientEvents[K]) => void): () => void;

  /**
   * Joins a room now, or when there is a connection, and again after every reconnect. A room may be joined several times:
   * each call returns its own `Room`, and the client leaves the room when the last of them is left. The options of the first
   * call apply: a later one gets `open` at once and only new messages. Throws `ALREADY_JOINED` if it has `stored: true` and
   * the first call had not.
   */
  join(room: string, options?: JoinOptions): Room;

  /** Connects immediately, for a "try now" button; also after the server has closed the client for good. */
  connect(): void;

  /** Leaves all rooms and closes the socket. */
  close(): void;
}

/** Creates a UUID of version 7 that is greater than all that this page created before. */
export function uuidV7(): string;
