/** What a document names and somebody else knows: people, teams and tags. */
export type DocumentPerson = { readonly id: string; readonly type: 'user' | 'team'; readonly name: string };

/** Answers what a text of a document names; everything is looked up before a document is read. */
export type DocumentLookup = {
  readonly person: (text: string) => DocumentPerson | undefined;
  readonly tag: (fqn: string) => 'Classification' | 'Glossary' | undefined;
};
