//! `brisk serve`: the stored experiments as pages over HTTP.

use clap::Args;
use measure::interrupt;

use super::Done;
use super::exit::ExitCode;
use super::output::Output;
use configuration::StoreOptions;
use model::failure::Failure;
use model::host;
use model::host::identifying;
use serve::{self, Door, Listen, Token};
use store::Store;

/// Arguments of `brisk serve`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  brisk serve
  brisk serve --listen localhost:8080
  brisk serve --listen 0.0.0.0:8080")]
pub(super) struct ServeArguments {
    /// Where to listen [default: 127.0.0.1, at port 2747 or, if that is taken, any other]. Only this
    /// machine can reach the default; other addresses need a token. Nothing is encrypted
    #[arg(long, value_name = "HOST[:PORT]")]
    listen: Option<Listen>,
    /// What visitors have to know [default: none for this machine alone; otherwise one is drawn and
    /// printed]. Everyone who can list the processes of this machine can read it here
    #[arg(long, value_name = "TOKEN")]
    token: Option<Token>,
    #[command(flatten)]
    store: StoreOptions,
}

/// Serves until it is stopped.
pub(super) fn run(arguments: &ServeArguments, output: &Output) -> Done {
    let place = arguments.store.place()?;
    // A file that is not a store is reported now; a missing store may appear later.
    drop(Store::open_existing(&place)?);
    let listen = arguments.listen.clone().unwrap_or_default();
    let cannot = |error: std::io::Error| {
        let place = listen.port.map_or_else(String::new, |port| format!(":{port}"));
        Failure::new(format!("cannot serve on `{}{place}`", listen.host)).caused_by(&error)
    };
    let listener = serve::bind(&listen).map_err(cannot)?;
    let address = listener.local_addr().map_err(cannot)?;
    let token = match &arguments.token {
        None if !address.ip().is_loopback() => Some(Token::drawn().map_err(cannot)?),
        given => given.clone(),
    };
    let [(_, name), ..] = identifying(&host::machine());
    let door = Door::new(address, &listen.host, name.as_deref(), token);
    interrupt::install().map_err(cannot)?;
    output.message(&format!("serving the store at `{}`; Ctrl-C ends it\n", place));
    output.data(&format!("{}\n", door.url(name.as_deref())))?;
    let stopped = || {
        // If signals cannot be waited for, the server stops right away.
        let _ = interrupt::wait();
    };
    serve::serve(listener, door, place, stopped).map_err(cannot)?;
    Ok(ExitCode::Fine)
}
