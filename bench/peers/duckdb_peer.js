// Runs a query in DuckDB twice over a table t in memory, with two threads: duckdb_peer.js TABLE QUERY prints the seconds of the second
// run and the first column of its rows as JSON.
const { DuckDBInstance } = require('@duckdb/node-api');

async function main(table, query) {
  const instance = await DuckDBInstance.create(':memory:', { threads: '2' });
  const connection = await instance.connect();
  await connection.run(`CREATE TABLE t AS ${table}`);
  await connection.runAndReadAll(query);
  const start = process.hrtime.bigint();
  const rows = (await connection.runAndReadAll(query)).getRows();
  const seconds = Number(process.hrtime.bigint() - start) / 1e9;
  console.log(JSON.stringify({ seconds, rows: rows.map((row) => Number(row[0])) }));
}

main(process.argv[2], process.argv[3]);
