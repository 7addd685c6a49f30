package chat.local;

import java.nio.file.Path;

final class TestPlaces {
    private TestPlaces() {}

    /** The checkout; Maven runs the tests of a module in its directory. */
    static Path root() {
        return Path.of("../..").toAbsolutePath().normalize();
    }
}
