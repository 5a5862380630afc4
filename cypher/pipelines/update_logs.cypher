// Appends text to the logs of runs. A piece takes text until it is full, and the oldest piece goes when there are too many.
UNWIND $rows AS row
MATCH (n:Entity {id: row.id})
MERGE (run:PipelineRun {key: row.key})
  ON CREATE SET run.pipelineId = row.id
MERGE (n)-[:HAS_RESULT]->(run)
SET run.loggedAt = coalesce(run.loggedAt, row.now),
  run.logPieces = coalesce(run.logPieces, 0),
  run.logLines = coalesce(run.logLines, 0),
  run.logBytes = coalesce(run.logBytes, 0)
WITH n, run, row
OPTIONAL MATCH (last:RunLogPiece {key: row.key + ':' + toString(run.logPieces)})
WITH n, run, row,
  CASE
    WHEN last IS NULL OR coalesce(last.bytes, size(last.text)) + row.bytes > row.full THEN run.logPieces + 1
    ELSE run.logPieces
  END AS number
MERGE (piece:RunLogPiece {key: row.key + ':' + toString(number)})
  ON CREATE SET piece.text = '', piece.lines = 0, piece.bytes = 0, piece.before = run.logLines
MERGE (n)-[:HAS_RESULT]->(piece)
SET piece.bytes = coalesce(piece.bytes, size(piece.text)) + row.bytes,
  piece.text = piece.text + row.text,
  piece.lines = piece.lines + row.lines,
  run.logPieces = number,
  run.logLines = run.logLines + row.lines
WITH run, row, number
OPTIONAL MATCH (old:RunLogPiece {key: row.key + ':' + toString(number - row.kept)})
SET run.logBytes = run.logBytes + row.bytes - coalesce(old.bytes, 0)
DETACH DELETE old
RETURN row.at AS at
