package chat.web;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "chat.web", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    @ArchTest
    static final ArchRule knowsOnlyWhoIsLetIn = classes()
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "chat.web..",
                    "chat.admission..",
                    "chat.identity.token..",
                    "org.springframework..",
                    "org.reactivestreams..",
                    "reactor..",
                    "io.netty..",
                    "java..",
                    "org.jspecify..");
}
