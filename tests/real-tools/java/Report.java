import java.io.File;
import java.io.FileOutputStream;
import org.jacoco.core.analysis.Analyzer;
import org.jacoco.core.analysis.CoverageBuilder;
import org.jacoco.core.tools.ExecFileLoader;
import org.jacoco.report.DirectorySourceFileLocator;
import org.jacoco.report.IReportVisitor;
import org.jacoco.report.xml.XMLFormatter;

/** jacoco.exec, classes, sources and the XML report to write. */
public class Report {
    public static void main(String[] a) throws Exception {
        ExecFileLoader exec = new ExecFileLoader();
        exec.load(new File(a[0]));
        CoverageBuilder builder = new CoverageBuilder();
        new Analyzer(exec.getExecutionDataStore(), builder).analyzeAll(new File(a[1]));
        try (FileOutputStream out = new FileOutputStream(a[3])) {
            IReportVisitor visitor = new XMLFormatter().createVisitor(out);
            visitor.visitInfo(exec.getSessionInfoStore().getInfos(), exec.getExecutionDataStore().getContents());
            visitor.visitBundle(builder.getBundle("shop"), new DirectorySourceFileLocator(new File(a[2]), "utf-8", 4));
            visitor.visitEnd();
        }
    }
}
