// Thrown inside the thread for what is wrong with the module, as opposed to what its code throws.

export class Refusal extends Error {
  override readonly name = "Refusal";
}
