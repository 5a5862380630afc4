// Holds the documents of each kind by facet key, for counts of everything.
CREATE INDEX SearchDoc_kindFacets IF NOT EXISTS FOR (n:SearchDoc) ON (n.entityType, n.deleted, n.facetKey)
