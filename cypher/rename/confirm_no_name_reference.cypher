// Answers the names that no text uses any more.
UNWIND $rows AS row
WITH row
WHERE NOT EXISTS {
  MATCH (naming:Naming {target: row.target})
  USING INDEX SEEK naming:Naming(target)
}
RETURN row.at AS at
