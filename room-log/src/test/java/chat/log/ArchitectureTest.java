package chat.log;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "chat.log", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    @ArchTest
    static final ArchRule theCoreIsPlain = classes()
            .that()
            .resideInAPackage("chat.log")
            .should()
            .onlyDependOnClassesThat(
                    resideInAnyPackage("chat.log", "chat.protocol", "java..", "org.jspecify..", "org.slf4j"));

    @ArchTest
    static final ArchRule onlyTheEdgeKnowsRabbit = noClasses()
            .that(resideInAPackage("chat.log"))
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("chat.log.rabbit..", "com.rabbitmq..", "org.springframework..");

    @ArchTest
    static final ArchRule onlyTheBreakerKnowsItsLibrary = noClasses()
            .that(not(resideInAPackage("chat.log.breaker")))
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.github.resilience4j..");
}
