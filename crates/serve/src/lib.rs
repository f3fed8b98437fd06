//! The stored experiments as pages over HTTP, for the whole store.
//!
//! `door` decides about access, and `asked` parses the request; `answer` reads from the store by
//! way of `stores`, and `pages` makes the page. This file has the connections: one request each,
//! with limits on its size and duration. The crate measures nothing, and stores nothing that comes
//! over the network.

mod answer;
mod asked;
mod door;
mod pages;
mod stores;

use std::convert::Infallible;
use std::io;
use std::net::TcpListener;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use hyper::header::{self, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use store::Place;
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::time::{sleep, timeout};

use answer::Answer;
use asked::{Asked, Refusal, asked, without_token};
use door::Entry;
pub use door::{Door, Listen, Token, TokenError, bind};
use stores::{News, Stores};

/// The most clients at once; others are turned away.
const MOST_CLIENTS: usize = 512;
/// The largest request with all its headers, in bytes.
const LARGEST_REQUEST: usize = 16 * 1024;
/// The time limit for a client to send its request.
const TO_ASK: Duration = Duration::from_secs(5);
/// The time limit for a whole connection, except for events.
const TO_TAKE: Duration = Duration::from_secs(30);
/// The duration of an event stream; browsers then reconnect.
const TO_WATCH: Duration = Duration::from_secs(600);
/// The memory for all pages that are not sent yet, in KiB.
const PAGES: u32 = 32 * 1024;
/// The wait if the system has no free descriptor.
const RECOVERY: Duration = Duration::from_millis(100);

/// Headers of every response: it belongs to this server, and must not be framed or kept. Each page
/// itself says what it may load.
const HEADERS: [(header::HeaderName, &str); 6] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "frame-ancestors 'none'; base-uri 'none'; form-action 'self'; object-src 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-store"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// The state that all connections share.
#[derive(Debug)]
struct House {
    door: Door,
    stores: Arc<Stores>,
    news: Arc<News>,
    memory: Arc<Semaphore>,
}

/// Serves the store at `place` to clients that the door admits, until `stopped` returns. Responses
/// in progress are cut off then.
///
/// # Errors
///
/// When the system has no more threads or descriptors.
pub fn serve(
    listener: TcpListener,
    door: Door,
    place: Place,
    stopped: impl FnOnce() + Send + 'static,
) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
    let stores = Stores::at(place);
    let (news, memory) =
        (News::from_stores(Arc::clone(&stores)), Arc::new(Semaphore::new(PAGES as usize)));
    let house = Arc::new(House { door, stores, news, memory });
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        tokio::spawn(Arc::clone(&house.news).gather());
        tokio::spawn(accept(listener, Arc::clone(&house)));
        tokio::task::spawn_blocking(stopped).await.map_err(io::Error::other)
    })?;
    runtime.shutdown_background();
    Ok(())
}

async fn accept(listener: tokio::net::TcpListener, house: Arc<House>) {
    let room = Arc::new(Semaphore::new(MOST_CLIENTS));
    loop {
        let Ok((client, _)) = listener.accept().await else {
            sleep(RECOVERY).await;
            continue;
        };
        match Arc::clone(&room).try_acquire_owned() {
            Ok(place) => {
                let house = Arc::clone(&house);
                tokio::spawn(async move {
                    attend(client, house).await;
                    drop(place);
                });
            }
            // Sent only if that is possible at once.
            Err(_) => drop(client.try_write(
                b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
            )),
        }
    }
}

/// Serves one client, from its first byte to the last byte of the response.
async fn attend(client: TcpStream, house: Arc<House>) {
    // A small response is sent at once.
    let _ = client.set_nodelay(true);
    let watches = Arc::new(AtomicBool::new(false));
    let service = service_fn(|request| {
        let (house, watches) = (Arc::clone(&house), Arc::clone(&watches));
        async move { Ok::<_, Infallible>(respond(request, &house, &watches).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(TO_ASK)
        .max_buf_size(LARGEST_REQUEST)
        .keep_alive(false)
        .serve_connection(TokioIo::new(client), service);
    let mut connection = std::pin::pin!(connection);
    // After any error, there is no client left to notify.
    let is_over = timeout(TO_TAKE, connection.as_mut()).await.is_ok();
    if !is_over && watches.load(Ordering::Relaxed) {
        let _ = timeout(TO_WATCH, connection).await;
    }
}

async fn respond(
    request: Request<Incoming>,
    house: &House,
    watches: &AtomicBool,
) -> Response<Sent> {
    let mut response = match admission(&request, &house.door) {
        Admission::Asked(Err(refusal)) => page(answer::refused(&refusal), house).await,
        Admission::Asked(Ok(Asked::Events(watched))) => {
            watches.store(true, Ordering::Relaxed);
            let events = Sent::Events(house.news.events(watched));
            typed(StatusCode::OK, "text/event-stream", events)
        }
        Admission::Asked(Ok(asked)) => made(asked, house).await,
        Admission::Welcome { address } => welcome(&house.door, &address),
        Admission::Told(status, text) => words(status, text),
    };
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    if response.status() == StatusCode::METHOD_NOT_ALLOWED {
        response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
    }
    response
}

/// The decision about a request.
enum Admission {
    /// It is answered.
    Asked(Result<Asked, Refusal>),
    /// It had the token in its address, and is redirected to the address without it.
    Welcome { address: String },
    /// It is rejected, with a reason.
    Told(StatusCode, &'static str),
}

fn admission(request: &Request<Incoming>, door: &Door) -> Admission {
    use Admission::{Asked, Told, Welcome};
    if request.method() != Method::GET && request.method() != Method::HEAD {
        return Told(StatusCode::METHOD_NOT_ALLOWED, "only GET and HEAD are answered here\n");
    }
    if !request.body().is_end_stream() {
        return Told(StatusCode::PAYLOAD_TOO_LARGE, "a request has no body here\n");
    }
    let all = |name: header::HeaderName| -> Vec<&str> {
        request.headers().get_all(name).iter().map(|it| it.to_str().unwrap_or_default()).collect()
    };
    let hosts = all(header::HOST);
    let [host] = hosts.as_slice() else {
        return Told(StatusCode::BAD_REQUEST, "a request names one host, in `Host`\n");
    };
    // A request in proxy form names the host once more.
    let host = request.uri().authority().map_or(*host, |authority| authority.as_str());
    let path = request.uri().path();
    let (token, query) = without_token(request.uri().query().unwrap_or_default());
    let asked = asked(path, &query);
    match door.entry(host, &all(header::COOKIE), token.as_deref()) {
        Entry::Open => Asked(asked),
        // Only to a page of ours: `//elsewhere` belongs to another host.
        Entry::Welcome if asked.is_err() => Welcome { address: "/".to_owned() },
        Entry::Welcome if query.is_empty() => Welcome { address: path.to_owned() },
        Entry::Welcome => Welcome { address: format!("{path}?{query}") },
        Entry::Stranger => Told(
            StatusCode::MISDIRECTED_REQUEST,
            "this server is not called that; `brisk serve --listen NAME:PORT` gives it a name\n",
        ),
        Entry::NoToken => Told(
            StatusCode::UNAUTHORIZED,
            "a token is needed: use the address that `brisk serve` printed, with `?token=`\n",
        ),
        Entry::WrongToken => Told(StatusCode::UNAUTHORIZED, "that is not the token\n"),
    }
}

/// Sets the token as a cookie, and redirects to the same address without it.
fn welcome(door: &Door, address: &str) -> Response<Sent> {
    let mut response = words(StatusCode::SEE_OTHER, "");
    let token = door.token().map_or("", |token| token.text());
    // Lax: only links from other sites send the cookie, and no other requests from there.
    let cookie = format!("{}={token}; Path=/; HttpOnly; SameSite=Lax", door.cookie());
    for (name, value) in [(header::LOCATION, address), (header::SET_COOKIE, &cookie)] {
        if let Ok(value) = HeaderValue::from_str(value) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}

/// Makes a page, and sends it once there is memory for it. It keeps its turn until then.
async fn made(asked: Asked, house: &House) -> Response<Sent> {
    let read = house.stores.read(move |store| {
        let answer = store.and_then(|store| answer::answer(&asked, store));
        answer.unwrap_or_else(|failure| answer::unreadable(&failure))
    });
    match read.await {
        Some((answer, _turn)) => page(answer, house).await,
        None => words(StatusCode::INTERNAL_SERVER_ERROR, "the page could not be made\n"),
    }
}

async fn page(Answer { status, text }: Answer, house: &House) -> Response<Sent> {
    let size = u32::try_from(text.len() / 1024 + 1).unwrap_or(PAGES).min(PAGES);
    let Ok(permit) = Arc::clone(&house.memory).acquire_many_owned(size).await else {
        return words(StatusCode::SERVICE_UNAVAILABLE, "too many pages are being sent\n");
    };
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    typed(status, "text/html; charset=utf-8", Sent::page(text, permit))
}

fn words(status: StatusCode, text: &'static str) -> Response<Sent> {
    typed(status, "text/plain; charset=utf-8", Sent::words(text))
}

fn typed(status: StatusCode, kind: &'static str, sent: Sent) -> Response<Sent> {
    let mut response = Response::new(sent);
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

/// A body.
#[derive(Debug)]
enum Sent {
    /// A page, which is sent once.
    Whole(Bytes),
    /// Events, until the sender is gone.
    Events(mpsc::Receiver<Bytes>),
}

impl Sent {
    fn words(text: &'static str) -> Self {
        Self::Whole(Bytes::from_static(text.as_bytes()))
    }

    /// A page. The permit stands for its memory until its last byte is sent.
    fn page(text: String, permit: OwnedSemaphorePermit) -> Self {
        Self::Whole(Bytes::from_owner(Held { text, _permit: permit }))
    }
}

struct Held {
    text: String,
    _permit: OwnedSemaphorePermit,
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        self.text.as_bytes()
    }
}

impl Body for Sent {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match self.get_mut() {
            Self::Whole(bytes) if bytes.is_empty() => Poll::Ready(None),
            Self::Whole(bytes) => Poll::Ready(Some(Ok(Frame::data(std::mem::take(bytes))))),
            Self::Events(events) => {
                events.poll_recv(context).map(|event| event.map(|event| Ok(Frame::data(event))))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Self::Whole(bytes) if bytes.is_empty())
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(bytes) => SizeHint::with_exact(bytes.len() as u64),
            Self::Events(_) => SizeHint::default(),
        }
    }
}
