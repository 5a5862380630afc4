// Returns the rows of names that no text contains any more.
UNWIND $rows AS row
WITH row
WHERE NOT EXISTS {
  MATCH (naming:Naming {target: row.target})
  USING INDEX SEEK naming:Naming(target)
}
RETURN row.at AS at
