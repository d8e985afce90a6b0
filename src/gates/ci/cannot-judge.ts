// Thrown inside the gate and caught by it: there is no verdict about the files. The message says why and what to do.

export class CannotJudge extends Error {
  override readonly name: string = "CannotJudge";
}

/** CI has not seen the files, because nobody has committed or pushed them yet: an agent may do that. */
export class NotPushed extends CannotJudge {
  override readonly name = "NotPushed";
}
