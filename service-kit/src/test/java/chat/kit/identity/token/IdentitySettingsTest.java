package chat.kit.identity.token;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

class IdentitySettingsTest {
    private static IdentitySettings bound(String... settings) {
        Map<String, String> values = new HashMap<>();
        for (String setting : settings) {
            int equals = setting.indexOf('=');
            values.put("chat.identity." + setting.substring(0, equals), setting.substring(equals + 1));
        }
        return new Binder(new MapConfigurationPropertySource(values))
                .bindOrCreate("chat.identity", IdentitySettings.class);
    }

    @Test
    void startFailsWithoutAMode() {
        assertThatThrownBy(() -> bound("mode="))
                .rootCause()
                .hasMessageContaining("CHAT_IDENTITY=token")
                .hasMessageContaining("CHAT_IDENTITY=open");
        assertThat(bound("mode=open").isOpen()).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "issuer=https://i.example; either public-key",
                "issuer=https://i.example,public-key=/k.pem,jwks-uri=https://i.example/keys; either public-key",
                "public-key=/k.pem; issuer",
                "issuer=https://i.example,public-key=/k.pem,audience=; audience",
                "issuer=https://i.example,jwks-uri=http://i.example/keys; must be https",
                "issuer=https://i.example,public-key=/k.pem,leeway=2m; leeway",
                "issuer=https://i.example,public-key=/k.pem,public-rooms=a*b; room pattern",
                "issuer=https://i.example,public-key=/k.pem,algorithm=HS256; Algorithm.HS256"
            })
    void missingOrUnsafeSettingIsReported(String settings, String named) {
        String[] all = ("mode=token," + settings).split(",", -1);
        assertThatThrownBy(() -> bound(all)).rootCause().hasMessageContaining(named);
    }

    @Test
    void keysMayComeFromThisMachineWithoutTls() {
        assertThat(bound("mode=token", "issuer=i", "jwks-uri=http://127.0.0.1:9000/keys")
                        .isOpen())
                .isFalse();
    }
}
