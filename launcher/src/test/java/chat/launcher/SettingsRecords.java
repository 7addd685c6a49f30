package chat.launcher;

import com.sun.source.doctree.DocCommentTree;
import com.sun.source.doctree.DocTree;
import com.sun.source.doctree.ParamTree;
import com.sun.source.tree.AnnotationTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePathScanner;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/** The records that settings become, from their sources: components, types and descriptions. */
final class SettingsRecords {
    private static final String ROOT = "ConfigurationProperties";

    /** @param meaning what the record's comment says of it; empty where it says nothing */
    private record Component(String type, String meaning) {}

    /** @param prefix of the settings, where the record is their root; else null */
    private record Kind(@Nullable String prefix, Map<String, Component> components) {}

    /**
     * @param name with its prefix, as in YAML
     * @param type simple name in Java
     */
    record Setting(String name, String type, String meaning) {}

    private final Map<String, Kind> kinds = new HashMap<>();

    /** @param sources folders with Java sources */
    SettingsRecords(List<Path> sources) {
        try (StandardJavaFileManager files =
                ToolProvider.getSystemJavaCompiler().getStandardFileManager(null, Locale.ROOT, null)) {
            List<Path> records = sources.stream()
                    .flatMap(SettingsRecords::java)
                    .filter(SettingsRecords::hasRecords)
                    .toList();
            JavacTask task = (JavacTask) ToolProvider.getSystemJavaCompiler()
                    .getTask(null, files, unused -> {}, List.of(), null, files.getJavaFileObjectsFromPaths(records));
            DocTrees docs = DocTrees.instance(task);
            for (CompilationUnitTree unit : task.parse()) new Reader(docs).scan(unit, null);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private static Stream<Path> java(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(".java")).toList().stream();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private static boolean hasRecords(Path file) {
        try {
            return Files.readString(file).contains("record ");
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    /** Of all records that are roots, in the order of their components. */
    Map<String, Setting> settings() {
        Map<String, Setting> found = new LinkedHashMap<>();
        kinds.forEach((name, kind) -> {
            if (kind.prefix() != null) collect(kind.prefix(), name, "", found);
        });
        return found;
    }

    private void collect(String prefix, String owner, String said, Map<String, Setting> found) {
        Kind kind = kinds.get(owner);
        if (kind == null) throw new IllegalStateException("no record " + owner);
        kind.components().forEach((component, what) -> {
            String name = prefix + "." + kebab(component);
            String meaning = what.meaning().isEmpty() ? said : what.meaning();
            String nested = owner + "." + what.type();
            if (kinds.containsKey(nested)) collect(name, nested, meaning, found);
            else if (kinds.containsKey(what.type())) collect(name, what.type(), meaning, found);
            else found.put(name, new Setting(name, what.type(), meaning));
        });
    }

    private static String kebab(String component) {
        return component.replaceAll("([a-z0-9])([A-Z])", "$1-$2").toLowerCase(Locale.ROOT);
    }

    private final class Reader extends TreePathScanner<@Nullable Void, @Nullable Void> {
        private final DocTrees docs;
        private String outer = "";

        Reader(DocTrees docs) {
            this.docs = docs;
        }

        @Override
        public @Nullable Void visitClass(ClassTree type, @Nullable Void unused) {
            String before = outer;
            String name = before.isEmpty() ? type.getSimpleName().toString() : before + "." + type.getSimpleName();
            if (type.getKind() == Tree.Kind.RECORD) kinds.put(name, new Kind(prefix(type), components(type)));
            outer = name;
            super.visitClass(type, null);
            outer = before;
            return null;
        }

        private Map<String, Component> components(ClassTree type) {
            Map<String, String> said = said();
            Map<String, Component> components = new LinkedHashMap<>();
            for (VariableTree field : bound(type))
                components.put(
                        field.getName().toString(),
                        new Component(
                                field.getType().toString().replaceAll("^.*\\s|.*\\.(?=\\w+$)", ""),
                                said.getOrDefault(field.getName().toString(), "")));
            return components;
        }

        /** The parameters of the constructor that Spring binds, or else all components. */
        private static List<? extends VariableTree> bound(ClassTree type) {
            for (Tree member : type.getMembers())
                if (member instanceof MethodTree method
                        && method.getModifiers().getAnnotations().stream()
                                .anyMatch(annotation -> annotation
                                        .getAnnotationType()
                                        .toString()
                                        .equals("ConstructorBinding"))) return method.getParameters();
            return type.getMembers().stream()
                    .filter(VariableTree.class::isInstance)
                    .map(VariableTree.class::cast)
                    .filter(field -> !isStatic(field))
                    .toList();
        }

        private static boolean isStatic(VariableTree field) {
            return field.getModifiers().getFlags().contains(javax.lang.model.element.Modifier.STATIC);
        }

        private Map<String, String> said() {
            DocCommentTree comment = docs.getDocCommentTree(getCurrentPath());
            if (comment == null) return Map.of();
            return comment.getBlockTags().stream()
                    .filter(ParamTree.class::isInstance)
                    .map(ParamTree.class::cast)
                    .collect(Collectors.toMap(
                            param -> param.getName().toString(), param -> plain(param.getDescription())));
        }

        private static String plain(List<? extends DocTree> description) {
            return description.stream()
                    .map(Object::toString)
                    .collect(Collectors.joining())
                    .replaceAll("\\{@(?:code|link|literal)\\s+([^}]*)}", "`$1`")
                    .replaceAll("\\s+", " ")
                    .strip();
        }

        private static @Nullable String prefix(ClassTree type) {
            for (AnnotationTree annotation : type.getModifiers().getAnnotations())
                if (annotation.getAnnotationType().toString().equals(ROOT))
                    return annotation.getArguments().getFirst().toString().replaceAll("^(?:.*= )?\"|\"$", "");
            return null;
        }
    }
}
