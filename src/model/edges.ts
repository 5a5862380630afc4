/** The closed vocabulary of edges between records, with their direction (DESIGN 3). */
export const EDGES = {
  CONTAINS: 'parent → child; drives names, cascades and inheritance',
  PARENT_OF: 'team → team, term → term, tag → tag',
  HAS_COLUMN: 'record or column → column',
  OWNS: 'person or team → record',
  FOLLOWS: 'person → record',
  VOTED: 'person → record',
  REVIEWS: 'person or team → record',
  EXPERT_IN: 'person → record',
  HAS_MEMBER: 'team → person',
  HAS_ROLE: 'person or team → role',
  HAS_POLICY: 'role or team → policy',
  ACTS_AS: 'bot → person',
  TAGGED: 'record or column → tag or glossary term',
  IN_DOMAIN: 'record → domain',
  HAS_ASSET: 'data product → record',
  HAS_VERSION: 'record → its former state',
  HAS_USAGE: 'record → its use on one day',
  USES: 'ML model → dashboard, person → query, database or policy → container',
  ABOUT: 'change event → record',
  CONCERNS: 'intent → the record whose change has still to be carried downwards',
} as const;

export type EdgeType = keyof typeof EDGES;
