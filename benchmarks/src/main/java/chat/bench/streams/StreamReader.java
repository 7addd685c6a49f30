package chat.bench.streams;

import java.util.List;

/** Reads all streams, as a chat server does. */
interface StreamReader extends AutoCloseable {
    /** Returns one window for each stream. */
    List<Window> windows();

    @Override
    void close();
}
