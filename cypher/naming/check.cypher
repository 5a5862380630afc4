// Answers the names that no text uses any more.
UNWIND $rows AS row
WITH row
WHERE NOT EXISTS { (:Naming {target: row.target}) }
RETURN row.at AS at
