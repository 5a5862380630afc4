// Columns are also looked up by name; fields of different kinds may share one.
CREATE INDEX Column_fullyQualifiedName IF NOT EXISTS FOR (n:Column) ON (n.fullyQualifiedName)
