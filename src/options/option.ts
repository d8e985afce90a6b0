// Declares an option of the task file once: its schema, its default and one documentation sentence.
import type * as z from "zod";

interface Documentation {
  /** One sentence for people: what the option does. */
  readonly doc: string;
  /** The page of docs/ that explains it. */
  readonly see?: string;
  /** The default in words, where a value does not say it. */
  readonly defaultText?: string;
}

/** Keywords of the JSON Schema that only the reference page reads. */
export const SEE = "x-see";
export const DEFAULT_TEXT = "x-default";
export const TYPE_NAME = "x-type";

type Declaration<Schema extends z.ZodType> = Documentation & { readonly schema: Schema };

/** `default` is the value as a user would write it. */
export function option<Schema extends z.ZodType>(
  declaration: Declaration<Schema> & { readonly default: z.input<Schema> },
): z.ZodPrefault<Schema>;
export function option<Schema extends z.ZodType>(declaration: Declaration<Schema>): z.ZodOptional<Schema>;
export function option(declaration: Declaration<z.ZodType> & { readonly default?: unknown }): z.ZodType {
  const { schema } = declaration;
  const optional =
    declaration.default === undefined ? schema.optional() : schema.prefault(declaration.default);
  return optional.meta(keywordsOf(declaration));
}

/** A key that its map must have. */
export function requiredOption<Schema extends z.ZodType>(declaration: Declaration<Schema>): Schema {
  return declaration.schema.meta(keywordsOf(declaration));
}

function keywordsOf({ doc, see, defaultText }: Documentation) {
  return {
    description: doc,
    ...(see !== undefined && { [SEE]: see }),
    ...(defaultText !== undefined && { [DEFAULT_TEXT]: defaultText }),
  };
}

/** The values that are not undefined: a task stores no empty keys. */
type Defined<Values> = {
  [Key in keyof Values as undefined extends Values[Key] ? never : Key]: Values[Key];
} & {
  [Key in keyof Values as undefined extends Values[Key] ? Key : never]?: Exclude<Values[Key], undefined>;
};

/** Removes the keys whose value is undefined. */
export function dropUndefined<Values extends object>(values: Values): Defined<Values> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}
