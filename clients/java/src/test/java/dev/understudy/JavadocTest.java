package dev.understudy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every public member says what it is. */
class JavadocTest {
    @Test
    void everyPublicMemberHasAComment(@TempDir Path folder) throws Exception {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> said = new DiagnosticCollector<>();
        String classpath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        List<String> options = List.of(
                "-d", folder.toString(), "-proc:none", "-classpath", classpath, "-Xdoclint:missing/protected", "-Xmaxwarns", "5000");
        try (StandardJavaFileManager files = compiler.getStandardFileManager(said, null, null);
                Stream<Path> sources = Files.walk(Path.of("src/main/java"))) {
            List<Path> all = sources.filter(each -> each.toString().endsWith(".java")).collect(Collectors.toList());
            assertTrue(compiler.getTask(null, files, said, options, null, files.getJavaFileObjectsFromPaths(all))
                    .call());
        }
        List<String> missing = said.getDiagnostics().stream()
                .filter(each -> each.getMessage(null).contains("no comment"))
                .map(JavadocTest::place)
                .collect(Collectors.toList());
        assertEquals(List.of(), missing);
    }

    private static String place(Diagnostic<? extends JavaFileObject> each) {
        return each.getSource().getName() + ":" + each.getLineNumber();
    }
}
