// Who names a record in a text is found by the name.
CREATE INDEX Naming_target IF NOT EXISTS FOR (n:Naming) ON (n.target)
