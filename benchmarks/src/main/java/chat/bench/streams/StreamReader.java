package chat.bench.streams;

import java.util.List;

/** Reads all streams, as one server does. */
interface StreamReader extends AutoCloseable {
    /** One for each stream. */
    List<Window> windows();

    @Override
    void close();
}
