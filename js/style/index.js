import './view.css';
