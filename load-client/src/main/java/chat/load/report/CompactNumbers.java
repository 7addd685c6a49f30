package chat.load.report;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;

/**
 * Writes JSON for pages: columns of numbers with four digits, which is more precise than a pixel, and null for NaN.
 * Half an hour of 60 series takes half a megabyte.
 */
final class CompactNumbers {
    static final JsonMapper JSON = JsonMapper.builder()
            .addModule(new SimpleModule()
                    .addSerializer(double[].class, new Column())
                    .addSerializer(Double.class, new Single())
                    .addSerializer(Double.TYPE, new Single()))
            .build();

    private static final MathContext DIGITS = new MathContext(4, RoundingMode.HALF_UP);
    private static final double EXACT = 1e6;

    private CompactNumbers() {}

    static String compact(double value) {
        if (!Double.isFinite(value)) return "null";
        if (value == Math.rint(value) && Math.abs(value) < EXACT) return Long.toString((long) value);
        BigDecimal rounded = new BigDecimal(value, DIGITS).stripTrailingZeros();
        String plain = rounded.toPlainString();
        String scientific = rounded.unscaledValue() + "e" + -rounded.scale();
        return scientific.length() < plain.length() ? scientific : plain;
    }

    private static final class Column extends ValueSerializer<double[]> {
        @Override
        public void serialize(double[] values, JsonGenerator out, SerializationContext context) {
            StringBuilder text = new StringBuilder(6 * values.length + 2).append('[');
            for (int i = 0; i < values.length; i++)
                text.append(i == 0 ? "" : ",").append(compact(values[i]));
            out.writeRawValue(text.append(']').toString());
        }
    }

    private static final class Single extends ValueSerializer<Double> {
        @Override
        public void serialize(Double value, JsonGenerator out, SerializationContext context) {
            if (Double.isFinite(value)) out.writeNumber(value);
            else out.writeNull();
        }
    }
}
