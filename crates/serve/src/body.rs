//! The body of a response: a whole page, or events one by one.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use hyper::body::{Body, Bytes, Frame, SizeHint};
use tokio::sync::{OwnedSemaphorePermit, mpsc};

/// A body.
#[derive(Debug)]
pub(super) enum Sent {
    /// A page, which is sent once.
    Whole(Bytes),
    /// Events, until the sender is gone.
    Events(mpsc::Receiver<Bytes>),
}

impl Sent {
    /// A short text.
    pub(super) fn words(text: &'static str) -> Self {
        Self::Whole(Bytes::from_static(text.as_bytes()))
    }

    /// A page. The permit stands for its memory until its last byte is sent.
    pub(super) fn page(text: String, permit: OwnedSemaphorePermit) -> Self {
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
