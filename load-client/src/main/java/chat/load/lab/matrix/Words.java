package chat.load.lab.matrix;

import java.util.ArrayList;
import java.util.List;

/** Finds options among the words of a command, typed as {@code --name value} or {@code --name=value}. */
final class Words {
    private Words() {}

    /** Returns the values of every occurrence of an option, in order. */
    static List<String> values(List<String> words, String option) {
        List<String> values = new ArrayList<>();
        for (int i = 0; i < words.size(); i++) {
            String word = words.get(i);
            if (word.startsWith(option + "=")) values.add(word.substring(option.length() + 1));
            else if (word.equals(option) && i + 1 < words.size()) values.add(words.get(++i));
        }
        return values;
    }
}
