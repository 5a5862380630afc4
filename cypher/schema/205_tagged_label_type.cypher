// The labels that came by lineage are found without a look at all others.
CREATE INDEX Tagged_label_type IF NOT EXISTS FOR ()-[e:TAGGED]-() ON (e.labelType)
