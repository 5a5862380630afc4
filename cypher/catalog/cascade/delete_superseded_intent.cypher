// Deletes the intents of one family from records whose new change supersedes them.
UNWIND $rows AS row
MATCH (:Entity {id: row.id})<-[:CONCERNS]-(intent:Intent {family: row.family})
DETACH DELETE intent
RETURN DISTINCT row.at AS at
