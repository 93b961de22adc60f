const SIZES = `SELECT t.table_name AS name, SUM(s.file_size) AS bytes, MAX(t.data_length) AS rows_bytes,
    MAX(t.index_length) AS index_bytes, MAX(t.table_rows) AS estimated
  FROM information_schema.tables t
  JOIN information_schema.innodb_sys_tablespaces s ON s.name = CONCAT(t.table_schema, '/', t.table_name)
  WHERE t.table_schema = DATABASE() GROUP BY t.table_name ORDER BY bytes DESC`;

/** The tables that hold more than a megabyte, the largest first: bytes on disk, of rows and of indexes. */
export async function sizesOf(connection) {
  const [rows] = await connection.query(SIZES);
  return rows
    .map(({ name, bytes, rows_bytes, index_bytes }) => ({
      ...{ name, bytes: Number(bytes) },
      ...{ rowBytes: Number(rows_bytes), indexBytes: Number(index_bytes) },
    }))
    .filter(({ bytes }) => bytes > 2 ** 20);
}

export async function countOf(connection, table) {
  const [[{ n }]] = await connection.query(`SELECT COUNT(*) AS n FROM ${table}`);
  return Number(n);
}
