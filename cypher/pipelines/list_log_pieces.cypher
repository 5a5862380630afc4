// Lists the pieces of a log that have lines of a range.
UNWIND $keys AS key
MATCH (piece:RunLogPiece {key: key})
WHERE piece.before + piece.lines > toInteger($start) AND piece.before < toInteger($end)
WITH piece ORDER BY piece.before
RETURN piece.before AS before, piece.text AS text
