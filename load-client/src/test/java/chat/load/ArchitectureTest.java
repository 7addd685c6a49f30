package chat.load;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "chat.load", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    @ArchTest
    static final ArchRule planCheckAndReportKnowNoSockets = noClasses()
            .that()
            .resideInAnyPackage("chat.load.plan..", "chat.load.check..", "chat.load.report..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.netty..", "java.net..", "chat.load.driver..");

    @ArchTest
    static final ArchRule thePlanIsData = noClasses()
            .that()
            .resideInAPackage("chat.load.plan..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("chat.load.check..", "chat.load.report..", "org.HdrHistogram..", "tools.jackson..");

    @ArchTest
    static final ArchRule theCheckerTrustsNobodysConclusions = noClasses()
            .that()
            .resideInAPackage("chat.load.check..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("chat.load.report..", "org.HdrHistogram..", "tools.jackson..");

    @ArchTest
    static final ArchRule onlyTheRootReadsTheCommandLine = noClasses()
            .that()
            .resideOutsideOfPackage("chat.load")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("picocli..");

    /** Load and verdict work without the laboratory; the root package wires both. */
    @ArchTest
    static final ArchRule theCoreDoesNotKnowTheLaboratory = noClasses()
            .that()
            .resideOutsideOfPackages("chat.load", "chat.load.lab..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("chat.load.lab..");

    /** Verdicts are pure functions of samples, so that tests can use synthetic samples. */
    @ArchTest
    static final ArchRule theDiagnosisKnowsOnlySamples = noClasses()
            .that()
            .resideInAPackage("chat.load.lab.diagnosis..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "java.io..",
                    "java.net..",
                    "java.nio..",
                    "java.sql..",
                    "io.netty..",
                    "tools.jackson..",
                    "chat.load.lab.sample..",
                    "chat.load.driver..");

    @ArchTest
    static final ArchRule samplingKnowsNothingOfTheLoad = noClasses()
            .that()
            .resideInAPackage("chat.load.lab.sample..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.netty..", "chat.load.driver..", "chat.load.plan..", "chat.load.check..");

    /** Child processes and REST queries do not depend on the driver. */
    @ArchTest
    static final ArchRule queriesAndMatricesDoNotChat = noClasses()
            .that()
            .resideInAnyPackage("chat.load.lab.child..", "chat.load.lab.query..", "chat.load.lab.matrix..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.netty..", "chat.load.driver..", "chat.load.dialect..");

    @ArchTest
    static final ArchRule packagesFormNoCircle =
            slices().matching("chat.load.(*)..").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule laboratoryPackagesFormNoCircle =
            slices().matching("chat.load.lab.(*)..").should().beFreeOfCycles();
}
