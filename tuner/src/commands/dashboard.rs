//! `dashboard`: a live page of runs.

use std::fs;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use nullarbor_cluster::{ClusterArgs, Connection};
use nullarbor_dashboard::{Options, Token, serve};
use nullarbor_report::terminal;
use nullarbor_runs::Stop;

use super::CommandResult;

/// Show runs live in a browser.
///
/// The page finds matches (their journals), tuning runs, breeding runs, trainings, datasets and lab results in the folders and
/// below, and follows them. It never writes. With --cluster it also shows the workers.
#[derive(Args)]
#[command(after_long_help = "Examples:
  nullarbor-tuner dashboard runs                       # http://127.0.0.1:8090
  nullarbor-tuner dashboard runs --cluster nats://127.0.0.1
  openssl rand -hex 16 > token && nullarbor-tuner dashboard runs --listen 0.0.0.0:8090 --token-file token")]
pub struct DashboardArgs {
    /// Folders of runs, or journals of matches
    #[arg(required = true)]
    dirs: Vec<PathBuf>,
    /// Address that browsers connect to; other machines need a token
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8090")]
    listen: SocketAddr,
    /// File with the token that browsers must know: 16 or more letters, digits, - and _
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    #[command(flatten)]
    cluster: ClusterArgs,
}

/// Describes the arguments of the dashboard, which gives no jobs.
pub fn described(command: clap::Command) -> clap::Command {
    command
        .mut_arg("cluster", |it| {
            it.help("URL of the NATS server whose workers are shown, e.g. nats://HOST:4222")
        })
        .mut_arg("in_flight", |it| it.hide(true))
        .mut_arg("ack_wait", |it| it.hide(true))
        .mut_arg("verify", |it| it.hide(true))
}

impl DashboardArgs {
    /// Serves the page until it is stopped.
    ///
    /// # Errors
    /// If a folder is missing, the address is in use or needs a token, or the cluster cannot be reached.
    pub fn run(&self, stop: &Arc<Stop>) -> CommandResult {
        if let Some(missing) = self.dirs.iter().find(|dir| !dir.exists()) {
            return Err(format!("{}: there is no such folder or file", missing.display()).into());
        }
        let token = self.token_file.as_ref().map(|path| {
            let text = fs::read_to_string(path)
                .map_err(|error| format!("--token-file {}: {error}", path.display()))?;
            let short = "a token has 16 or more letters, digits, - and _";
            Token::new(text.trim())
                .ok_or_else(|| format!("--token-file {}: {short}", path.display()))
        });
        let token = token.transpose()?;
        let url = self.cluster.cluster.as_ref();
        let cluster = url.map(|url| Connection::open(url, &self.cluster)).transpose()?;
        let more = if token.is_some() { "?token=TOKEN" } else { "" };
        let options = Options { places: self.dirs.clone(), listen: self.listen, token, cluster };
        serve(options, stop, |address| {
            terminal::line(&format!("http://{address}/{more}"));
        })?;
        Ok(())
    }
}
