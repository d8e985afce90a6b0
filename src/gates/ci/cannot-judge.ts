// Thrown inside the gate and caught by it: there is no verdict about the files. The message says why and what to do.

export class CannotJudge extends Error {
  override readonly name = "CannotJudge";
}
