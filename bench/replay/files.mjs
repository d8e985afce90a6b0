// Splits the files of a fix into its source part and its tests, by the classifier that the product uses.
import { openClassifier } from "../../dist/classify/classify.js";

/** {source, tests, steering}: steering is the share of `source` that decides how tests run. */
export async function splitFix({ dir, changed }, gate) {
  const classifier = await openClassifier(dir, { commands: [{ command: gate }] });
  const classes = changed.map((file) => ({ file, class: classifier.classify(file).class }));
  const named = (wanted) => classes.filter(wanted).map(({ file }) => file);
  return {
    tests: named((each) => each.class === "test"),
    source: named((each) => each.class !== "test"),
    steering: named((each) => each.class === "steering"),
  };
}
