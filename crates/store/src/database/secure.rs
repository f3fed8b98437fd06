//! Connections, encrypted as `sslmode` demands.

use std::io;
use std::sync::Arc;

use postgres::Client;
use postgres::config::SslMode;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error as TlsError, RootCertStore,
    SignatureScheme,
};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::super::address::{Address, Trust};
use super::{Error, Result};

/// Connects to the server.
pub(super) fn connect(address: &Address) -> Result<Client> {
    if address.config.get_ssl_mode() == SslMode::Disable {
        return Ok(address.config.connect(postgres::NoTls)?);
    }
    let tls = tls(address).map_err(Error::NotSecure)?;
    Ok(address.config.connect(MakeRustlsConnect::new(tls))?)
}

fn tls(address: &Address) -> std::result::Result<ClientConfig, io::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let strict = match address.trust {
        Trust::Anybody => None,
        Trust::Known | Trust::Named => {
            let roots = Arc::new(roots(address)?);
            let built = WebPkiServerVerifier::builder_with_provider(roots, Arc::clone(&provider));
            Some(built.build().map_err(io::Error::other)?)
        }
    };
    let verifier = Verifier { strict, trust: address.trust, provider: Arc::clone(&provider) };
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?;
    // The verifier leaves out only those checks that `sslmode` leaves out, as in libpq.
    let config = config.dangerous().with_custom_certificate_verifier(Arc::new(verifier));
    Ok(config.with_no_client_auth())
}

/// The trusted certificates.
fn roots(address: &Address) -> std::result::Result<RootCertStore, io::Error> {
    let mut roots = RootCertStore::empty();
    match &address.roots {
        None => {
            let found = rustls_native_certs::load_native_certs();
            roots.add_parsable_certificates(found.certs);
        }
        Some(file) => {
            let unreadable =
                |error| io::Error::other(format!("cannot read `{}`: {error}", file.display()));
            for one in CertificateDer::pem_file_iter(file).map_err(unreadable)? {
                roots.add(one.map_err(unreadable)?).map_err(io::Error::other)?;
            }
        }
    }
    Ok(roots)
}

/// Verifies the server's certificate to the degree that [`Trust`] demands.
#[derive(Debug)]
struct Verifier {
    strict: Option<Arc<WebPkiServerVerifier>>,
    trust: Trust,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> std::result::Result<ServerCertVerified, TlsError> {
        let Some(strict) = &self.strict else { return Ok(ServerCertVerified::assertion()) };
        let verified =
            strict.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now);
        match verified {
            // The chain of trust is verified before the name.
            Err(TlsError::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) if self.trust == Trust::Known => Ok(ServerCertVerified::assertion()),
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, TlsError> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, TlsError> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
