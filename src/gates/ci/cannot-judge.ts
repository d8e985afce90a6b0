// Errors that the gate throws and catches itself: it cannot judge the files. The message says why and what to do.

export class CannotJudge extends Error {
  override readonly name: string = "CannotJudge";
}

/** CI has not seen the files because they are not committed or pushed yet; an agent can do that. */
export class NotPushed extends CannotJudge {
  override readonly name = "NotPushed";
}
