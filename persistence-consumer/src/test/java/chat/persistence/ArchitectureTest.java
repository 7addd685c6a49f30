package chat.persistence;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "chat.persistence", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    @ArchTest
    static final ArchRule coreIsPlain = classes()
            .that()
            .resideInAPackage("chat.persistence.batch..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage("chat.persistence.batch..", "chat.protocol..", "java..", "org.jspecify..");

    @ArchTest
    static final ArchRule ingestKnowsNoDatabase = noClasses()
            .that()
            .resideInAPackage("chat.persistence.ingest..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "chat.persistence.store..", "chat.persistence.analytics..", "java.sql..", "chat.log.rabbit..");

    @ArchTest
    static final ArchRule storeKnowsOnlyBatches = noClasses()
            .that()
            .resideInAPackage("chat.persistence.store..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "chat.persistence.ingest..",
                    "chat.persistence.analytics..",
                    "chat.persistence.rollup..",
                    "chat.log..");

    @ArchTest
    static final ArchRule analyticsKnowsOnlyTheDatabase = noClasses()
            .that()
            .resideInAPackage("chat.persistence.analytics..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "chat.persistence.ingest..", "chat.persistence.batch..", "chat.persistence.store..", "chat.log..");

    @ArchTest
    static final ArchRule rollupHearsOfRowsAndKnowsTheDatabase = noClasses()
            .that()
            .resideInAPackage("chat.persistence.rollup..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("chat.persistence.ingest..", "chat.persistence.analytics..", "chat.log..");

    @ArchTest
    static final ArchRule rateKnowsOnlyRequests = noClasses()
            .that()
            .resideInAPackage("chat.persistence.rate..")
            .should()
            .dependOnClassesThat(
                    resideInAPackage("chat.persistence..").and(not(resideInAPackage("chat.persistence.rate.."))));

    @ArchTest
    static final ArchRule dashboardKnowsNoDatabase = noClasses()
            .that()
            .resideInAPackage("chat.persistence.dashboard..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "chat.persistence.store..",
                    "chat.persistence.batch..",
                    "chat.persistence.rollup..",
                    "chat.persistence.analytics..",
                    "java.sql..");

    @ArchTest
    static final ArchRule nobodyKnowsTheWiring = noClasses()
            .that()
            .resideInAnyPackage("chat.persistence.*..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("chat.persistence");

    @ArchTest
    static final ArchRule theBrokerIsOnlyForMain = noClasses()
            .that()
            .doNotHaveSimpleName("PersistenceConsumer")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("chat.log.rabbit..", "com.rabbitmq..", "org.springframework.amqp..");
}
