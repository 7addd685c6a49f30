// A plain chat by Socket.IO: rooms in memory, every message to everybody in its room, an acknowledgement for its sender.
// Tuned as https://socket.io/docs/v4/performance-tuning says. Port: the first argument, or PORT, or 3000.
import { createServer } from 'node:http';
import { Server } from 'socket.io';

const HOST = '127.0.0.1';
const port = Number(process.argv[2] ?? process.env.PORT ?? 3000);
if (!Number.isInteger(port) || port < 0 || port > 65535) {
  console.error(`not a port: ${process.argv[2] ?? process.env.PORT}`);
  process.exit(2);
}

// What is not for Socket.IO comes here; /health says that the server is up.
const http = createServer((request, response) => {
  response.writeHead(request.url === '/health' ? 200 : 404).end();
});
const io = new Server(http, {
  transports: ['websocket'],
  perMessageDeflate: false,
  httpCompression: false,
  serveClient: false,
  maxHttpBufferSize: 64 * 1024,
  pingInterval: 25_000,
  pingTimeout: 20_000,
});

// Each connection would keep its HTTP request otherwise, and nothing here asks for it.
io.engine.on('connection', (connection) => {
  connection.request = null;
});

const isId = (value) => typeof value === 'string' && value.length > 0 && value.length <= 64;

/** As an answer where the client asked for one, else as an event. */
function refuse(socket, answer, code, about) {
  const error = { code, roomId: about?.roomId, messageId: about?.messageId, retryable: false };
  if (typeof answer === 'function') answer(error);
  else socket.emit('error', error);
}

io.on('connection', (socket) => {
  socket.on('join', (member, answer) => {
    const roomId = member?.roomId;
    if (!isId(roomId)) return refuse(socket, answer, 'INVALID', member);
    socket.join(roomId);
    if (typeof answer === 'function') answer({ roomId });
  });

  socket.on('message', (message, answer) => {
    const roomId = message?.roomId;
    const messageId = message?.messageId;
    if (!isId(roomId) || !isId(messageId)) return refuse(socket, answer, 'INVALID', message);
    if (!socket.rooms.has(roomId)) return refuse(socket, answer, 'NOT_JOINED', message);
    io.to(roomId).emit('message', message);
    if (typeof answer === 'function') answer({ roomId });
  });

  socket.on('leave', (member) => {
    if (isId(member?.roomId)) socket.leave(member.roomId);
  });
});

http.on('error', (error) => {
  console.error(error.message);
  process.exit(1);
});
http.listen(port, HOST, () => console.log(`Socket.IO on ws://${HOST}:${http.address().port}`));

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => io.close(() => process.exit(0)));
}
