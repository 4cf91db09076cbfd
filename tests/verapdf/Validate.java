import java.io.File;
import java.util.Map;
import java.util.TreeMap;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.verapdf.gf.foundry.VeraGreenfieldFoundryProvider;
import org.verapdf.pdfa.Foundries;
import org.verapdf.pdfa.PDFAParser;
import org.verapdf.pdfa.PDFAValidator;
import org.verapdf.pdfa.flavours.PDFAFlavour;
import org.verapdf.pdfa.results.TestAssertion;
import org.verapdf.pdfa.results.ValidationResult;

/** Holds one PDF against standards: Validate FILE FLAVOUR... prints a line for each flavour and broken rule. */
public class Validate {
  private static final int MOST_FAILURES = 500;

  public static void main(String[] arguments) throws Exception {
    Logger.getLogger("").setLevel(Level.OFF);
    VeraGreenfieldFoundryProvider.initialise(); // codespell:ignore
    File file = new File(arguments[0]);
    for (int i = 1; i < arguments.length; i++) {
      report(arguments[i], check(file, PDFAFlavour.byFlavourId(arguments[i])));
    }
  }

  private static ValidationResult check(File file, PDFAFlavour flavour) throws Exception {
    try (PDFAParser parser = Foundries.defaultInstance().createParser(file, flavour);
        PDFAValidator validator =
            Foundries.defaultInstance().createValidator(flavour, MOST_FAILURES, false, false, false)) {
      return validator.validate(parser);
    }
  }

  private static void report(String flavour, ValidationResult result) {
    Map<String, String> broken = new TreeMap<>();
    for (TestAssertion test : result.getTestAssertions()) {
      if (test.getStatus() == TestAssertion.Status.FAILED) {
        String rule = test.getRuleId().getClause() + "-" + test.getRuleId().getTestNumber();
        broken.putIfAbsent(rule, test.getMessage() + " at " + test.getLocation().getContext());
      }
    }
    System.out.println(flavour + "\t" + result.isCompliant() + "\t" + result.getTotalAssertions());
    broken.forEach((rule, what) -> System.out.println(flavour + "\t" + rule + "\t" + what));
  }
}
