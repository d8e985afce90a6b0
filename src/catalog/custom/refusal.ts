// Error for an unusable module, thrown inside the worker; told apart from errors that the module's code throws.

export class Refusal extends Error {
  override readonly name = "Refusal";
}
