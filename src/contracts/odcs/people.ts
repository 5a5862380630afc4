/** A user or team that a document names. */
export type DocumentPerson = { readonly id: string; readonly type: 'user' | 'team'; readonly name: string };

/** Looks up names of a document. All of them are resolved before the document is read. */
export type DocumentLookup = {
  readonly person: (text: string) => DocumentPerson | undefined;
  readonly tag: (fqn: string) => 'Classification' | 'Glossary' | undefined;
};
