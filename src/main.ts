try {
  const { runMain } = await import('./app.js');
  await runMain(process.env);
} catch (error) {
  // Even what fails while it is loaded ends in one line.
  const [what] = String(error).split('\n');
  console.log(`::error::unavailable: the action could not run: ${what}`);
  process.exitCode = 1;
}
