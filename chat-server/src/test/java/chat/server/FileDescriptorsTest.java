package chat.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FileDescriptorsTest {
    @Test
    void lowFileLimitIsReportedWithTheRequiredNumber() {
        assertThat(FileDescriptors.shortage(1024, 20_000)).contains("1024", "20256", "CHAT_SERVER_MAX_CONNECTIONS");
        assertThat(FileDescriptors.shortage(20_000, 20_000)).isNotNull();
        assertThat(FileDescriptors.shortage(65_536, 20_000)).isNull();
    }
}
