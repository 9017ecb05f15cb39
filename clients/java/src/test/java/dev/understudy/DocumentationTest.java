package dev.understudy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.platform.testkit.engine.EngineTestKit;

/** The examples of README.md, of docs/sdks.md and of the recipes, without those that are marked as not run. */
@Understudy
class DocumentationTest {
    private static final Pattern BLOCK =
            Pattern.compile("(<!-- not run[^\n]*\n\n)?```java\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern CLASS = Pattern.compile("^class (\\w+)", Pattern.MULTILINE);

    static List<String> examples() throws IOException {
        return pages()
                .flatMap(page -> BLOCK.matcher(textOf(page)).results())
                .filter(block -> block.group(1) == null)
                .map(block -> block.group(2))
                .collect(Collectors.toList());
    }

    private static Stream<Path> pages() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("../../docs"))) {
            List<Path> recipes = files.filter(file -> file.getFileName().toString().matches("recipes.*\\.md"))
                    .sorted()
                    .collect(Collectors.toList());
            return Stream.concat(Stream.of(Path.of("README.md"), Path.of("../../docs/sdks.md")), recipes.stream());
        }
    }

    @ParameterizedTest
    @MethodSource("examples")
    void anExamplePasses(String example, UnderstudyService service, @TempDir Path folder) throws Exception {
        Matcher named = CLASS.matcher(example);
        assertTrue(named.find(), example);
        compile(named.group(1), example, folder);
        ClassLoader parent = DocumentationTest.class.getClassLoader();
        try (URLClassLoader loader = new URLClassLoader(new URL[] {folder.toUri().toURL()}, parent)) {
            long tests = Pattern.compile("@Test\\b").matcher(example).results().count();
            long passed = EngineTestKit.engine("junit-jupiter")
                    .configurationParameter("understudy.url", service.httpUrl())
                    .selectors(selectClass(loader.loadClass(named.group(1))))
                    .execute()
                    .testEvents()
                    .succeeded()
                    .count();
            assertEquals(tests, passed);
        }
    }

    private static void compile(String name, String source, Path folder) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter said = new StringWriter();
        List<String> options = List.of("-d", folder.toString(), "-parameters", "-proc:none", "-classpath", classpath());
        JavaFileObject file =
                new SimpleJavaFileObject(URI.create("string:///" + name + ".java"), JavaFileObject.Kind.SOURCE) {
                    @Override
                    public CharSequence getCharContent(boolean ignoreErrors) {
                        return source;
                    }
                };
        boolean isCompiled = compiler.getTask(said, null, null, options, null, List.of(file)).call();
        assertTrue(isCompiled, said::toString);
    }

    /** Surefire starts the JVM with a jar that only names the others. */
    private static String classpath() {
        return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    }

    private static String textOf(Path page) {
        try {
            return Files.readString(page);
        } catch (IOException error) {
            throw new AssertionError(page.toString(), error);
        }
    }
}
